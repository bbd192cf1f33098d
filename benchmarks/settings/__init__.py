"""How are settings of the models compared?"""
