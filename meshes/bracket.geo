// A bracket: base block with two bolt holes and an arm that ends in a lug with an eye. Meters.
// The volume is the group `part`; the base's back face (x = 0) is `clamp`; the eye's inner face is `grip`.

// Element size [m]; halve it for about eight times as many tetrahedra.
h = DefineNumber[ 0.0029, Name "Parameters/Element size" ];

SetFactory("OpenCASCADE");

// Base block.
base_thickness = 0.020;
base_width     = 0.096; // along y
height         = 0.024; // along z, of the whole part
bolt_radius    = 0.005;
bolt_distance  = 0.038; // of a bolt's axis from the plane y = 0

// Arm, tapered, and the lug at its end.
arm_start  = 0.020; // half the arm's width at the base
arm_end    = 0.013; // and at the lug
eye_x      = 0.140;
lug_radius = 0.020;
eye_radius = 0.010;
fillet     = 0.008; // where the arm leaves the base
window     = 0.0075; // radius of the slot's ends in the arm

t = base_thickness;
w = base_width / 2;

Box(1) = {0, -w, 0, t, base_width, height};

// The arm's outline with its fillets; it reaches a little into the base so that the union has no sliver.
Point(101) = {t - 0.002, -arm_start - fillet, 0};
Point(102) = {t,         -arm_start - fillet, 0};
Point(103) = {t + fillet, -arm_start - fillet, 0};
Point(104) = {t + fillet, -arm_start, 0};
Point(105) = {eye_x, -arm_end, 0};
Point(106) = {eye_x,  arm_end, 0};
Point(107) = {t + fillet,  arm_start, 0};
Point(108) = {t + fillet,  arm_start + fillet, 0};
Point(109) = {t,          arm_start + fillet, 0};
Point(110) = {t - 0.002,  arm_start + fillet, 0};
Line(101) = {101, 102};
Circle(102) = {102, 103, 104};
Line(103) = {104, 105};
Line(104) = {105, 106};
Line(105) = {106, 107};
Circle(106) = {107, 108, 109};
Line(107) = {109, 110};
Line(108) = {110, 101};
Delete { Point{103, 108}; } // centers only: they would become nodes that no element uses
Curve Loop(101) = {101, 102, 103, 104, 105, 106, 107, 108};
Plane Surface(101) = {101};
arm[] = Extrude {0, 0, height} { Surface{101}; };
Cylinder(200) = {eye_x, 0, 0, 0, 0, height, lug_radius};
solid[] = BooleanUnion{ Volume{1}; Delete; }{ Volume{arm[1], 200}; Delete; };

// Holes: the eye, two bolts along x, and a slot with round ends that lightens the arm.
Cylinder(301) = {eye_x, 0, -height, 0, 0, 3 * height, eye_radius};
Cylinder(302) = {-t, -bolt_distance, height / 2, 3 * t, 0, 0, bolt_radius};
Cylinder(303) = {-t,  bolt_distance, height / 2, 3 * t, 0, 0, bolt_radius};
Cylinder(304) = {0.048, 0, -height, 0, 0, 3 * height, window};
Cylinder(305) = {0.096, 0, -height, 0, 0, 3 * height, window};
Box(306) = {0.048, -window, -height, 0.048, 2 * window, 3 * height};
part[] = BooleanDifference{ Volume{solid[]}; Delete; }{ Volume{301:306}; Delete; };

// Faces are found by where they are: their tags depend on the version of OpenCASCADE.
e = 1e-5;
clamp[] = Surface In BoundingBox{-e, -w - e, -e, e, w + e, height + e};
r = eye_radius + e;
grip[] = Surface In BoundingBox{eye_x - r, -r, -e, eye_x + r, r, height + e};
Physical Volume("part", 1) = {part[]};
Physical Surface("clamp", 2) = {clamp[]};
Physical Surface("grip", 3) = {grip[]};

Mesh.MeshSizeMin = h;
Mesh.MeshSizeMax = h;
