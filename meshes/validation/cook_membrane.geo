// Cook's membrane: a tapered panel, clamped at x = 0 and sheared at x = 48. Structured, without recombination.
DefineConstant[ n = 8 ];         // elements along each side
DefineConstant[ layers = 1 ];    // through the thickness
DefineConstant[ thickness = 1 ];

Point(1) = {0, 0, 0};
Point(2) = {48, 44, 0};
Point(3) = {48, 60, 0};
Point(4) = {0, 44, 0};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1:4};
Plane Surface(1) = {1};
Transfinite Curve{1:4} = n + 1;
Transfinite Surface{1};
panel[] = Extrude {0, 0, thickness} { Surface{1}; Layers{layers}; };

Physical Volume("panel", 1) = {panel[1]};
Physical Surface("clamp", 2) = {panel[5]};
Physical Surface("end", 3) = {panel[3]};
Physical Surface("back", 4) = {1};
Physical Surface("front", 5) = {panel[0]};
