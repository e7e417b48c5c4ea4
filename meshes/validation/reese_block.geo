// A quarter of Reese's block: a cube of side 1. Structured, without recombination; n even, because the load ends at
// x = 0.5 and y = 0.5.
DefineConstant[ n = 4 ];

Point(1) = {0, 0, 0};
Point(2) = {1, 0, 0};
Point(3) = {1, 1, 0};
Point(4) = {0, 1, 0};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1:4};
Plane Surface(1) = {1};
Transfinite Curve{1:4} = n + 1;
Transfinite Surface{1};
block[] = Extrude {0, 0, 1} { Surface{1}; Layers{n}; };

Physical Volume("block", 1) = {block[1]};
Physical Surface("base", 2) = {1};
Physical Surface("top", 3) = {block[0]};
Physical Surface("y0", 4) = {block[2]};
Physical Surface("x0", 5) = {block[5]};
