"""Speed and memory of tapegrad, a file a topic.

asv runs `setup` before every sample, outside the time, and a sample that has a `setup` calls its function once. So the
functions loop, their names say how often, and every `setup` runs its function: compilation is never in a time, except
in startup.py, which measures it.
"""
