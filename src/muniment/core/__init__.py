"""Pure values, rules and algorithms: no clock, disk, network, entropy or third party."""
