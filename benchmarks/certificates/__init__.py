"""How much do procedures certify, side by side, and does what they certify hold?"""
