"""Random damage to files that the package reads: what must hold whatever a file contains."""
