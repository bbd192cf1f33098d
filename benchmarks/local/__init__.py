"""How do thresholds of their own for every cell compare with one for all, on new data?"""
