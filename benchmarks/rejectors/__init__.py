"""How do libraries choose the thresholds of a reject option, each in its own environment?

An adapter is a module named like its library. It says which ``PACKAGES`` it reports and which
``METHODS`` it has. What a user would write stands between two comments, and is counted.
"""
