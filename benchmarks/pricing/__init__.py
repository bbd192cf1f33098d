"""How do libraries decide where errors cost different amounts, each in its own environment?

An adapter is a module named like its library. It says which ``PACKAGES`` it reports and which
``METHODS`` it has. What a user would write stands between two comments, and is counted.
"""
