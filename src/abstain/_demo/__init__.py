"""What does a reject option do, on data that everybody has?"""

from abstain._demo.running import Demo, run_demo

__all__ = ["Demo", "run_demo"]
