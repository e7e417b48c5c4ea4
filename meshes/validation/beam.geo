// A slender square beam along x, of length 1. Structured, without recombination.
DefineConstant[ n = 2 ];               // elements along each side of the section
DefineConstant[ slenderness = 40 ];    // length over height
DefineConstant[ elements = 20 * n ];   // along the beam

h = 1 / slenderness;
Point(1) = {0, -h / 2, -h / 2};
Point(2) = {0, h / 2, -h / 2};
Point(3) = {0, h / 2, h / 2};
Point(4) = {0, -h / 2, h / 2};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1:4};
Plane Surface(1) = {1};
Transfinite Curve{1:4} = n + 1;
Transfinite Surface{1};
beam[] = Extrude {1, 0, 0} { Surface{1}; Layers{elements}; };

Physical Volume("beam", 1) = {beam[1]};
Physical Surface("clamp", 2) = {1};
Physical Surface("end", 3) = {beam[0]};
