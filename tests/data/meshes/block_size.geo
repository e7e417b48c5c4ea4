size = 0.5;
