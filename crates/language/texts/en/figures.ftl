# Units, by the symbol that the code has for them. Figures stand before them with a no-break space.

unit-IOPS = IOPS
unit-MB-per-s = MB/s
unit-B = B
unit-KB = KB
unit-MB = MB
unit-GB = GB
unit-TB = TB
unit-KiB = KiB
unit-MiB = MiB
unit-GiB = GiB
unit-ns = ns
unit-us = µs
unit-ms = ms
unit-s = s
unit-min = min
unit-h = h
unit-J = J
unit-W = W
unit-mW = mW
