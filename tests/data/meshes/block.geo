// A unit cube, built-in kernel; its size of elements comes from another file of the same folder.
Include "block_size.geo";
Point(1) = {0, 0, 0, size};
line[] = Extrude {1, 0, 0} { Point{1}; };
square[] = Extrude {0, 1, 0} { Line{line[1]}; };
cube[] = Extrude {0, 0, 1} { Surface{square[1]}; };
Physical Surface("floor") = {square[1]};
Physical Volume("block") = {cube[1]};
