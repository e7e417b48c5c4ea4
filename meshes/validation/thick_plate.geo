// NAFEMS LE10: a quarter of an elliptic plate with an elliptic hole, 0.6 m thick. Meters. Structured, without
// recombination, in two halves so that nodes lie on the outer face's middle line.
DefineConstant[ n = 1 ];         // layers in each half; 4 n elements along the radius, 6 n around

Point(1) = {0, 0, -0.3};
Point(2) = {2, 0, -0.3};
Point(3) = {3.25, 0, -0.3};
Point(4) = {0, 2.75, -0.3};
Point(5) = {0, 1, -0.3};
Line(1) = {2, 3};
Ellipse(2) = {3, 1, 3, 4};
Line(3) = {4, 5};
Ellipse(4) = {5, 1, 2, 2};
Delete { Point{1}; } // a center only: it would become a node that no element uses
Curve Loop(1) = {1:4};
Plane Surface(1) = {1};
Transfinite Curve{1, 3} = 4 * n + 1;
Transfinite Curve{2, 4} = 6 * n + 1;
Transfinite Surface{1};
lower[] = Extrude {0, 0, 0.3} { Surface{1}; Layers{n}; };
upper[] = Extrude {0, 0, 0.3} { Surface{lower[0]}; Layers{n}; };
// Extrude gives the top, the volume, and the sides in the order of the curve loop.
middle[] = Boundary{ Surface{lower[0]}; };

Physical Volume("plate", 1) = {lower[1], upper[1]};
Physical Surface("top", 2) = {upper[0]};
Physical Surface("y0", 3) = {lower[2], upper[2]};
Physical Surface("outer", 4) = {lower[3], upper[3]};
Physical Surface("x0", 5) = {lower[4], upper[4]};
Physical Curve("outer_middle", 6) = {Abs(middle[1])};
