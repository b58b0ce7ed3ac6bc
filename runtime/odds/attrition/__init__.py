"""Attrition models: battles as Markov chains on a lattice of losses."""
