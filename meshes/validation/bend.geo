// The 45 degree bend of Bathe and Bolourchi: an arc of radius 100 with a square section of side 1, from the origin,
// where it runs along y, towards x. Structured, without recombination.
DefineConstant[ n = 2 ];               // elements along each side of the section
DefineConstant[ elements = 16 * n ];   // along the arc

Point(1) = {-0.5, 0, -0.5};
Point(2) = {0.5, 0, -0.5};
Point(3) = {0.5, 0, 0.5};
Point(4) = {-0.5, 0, 0.5};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1:4};
Plane Surface(1) = {1};
Transfinite Curve{1:4} = n + 1;
Transfinite Surface{1};
bend[] = Extrude { {0, 0, 1}, {100, 0, 0}, -Pi / 4 } { Surface{1}; Layers{elements}; };

Physical Volume("bend", 1) = {bend[1]};
Physical Surface("clamp", 2) = {1};
Physical Surface("end", 3) = {bend[0]};
