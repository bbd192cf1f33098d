"""Which samples are made to be outliers, and which scores may find them?"""
