# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: emit_code_comments=False, binding=False, embedsignature=False
"""The binding of compiled engines to Python: positions, contexts and calls, the same for every program.

A generated module offers its code as a capsule; grognard.native.engine puts an `Engine` of it and its data together.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t
from cpython.buffer cimport PyBUF_SIMPLE, PyBUF_WRITABLE, Py_buffer, PyBuffer_FillInfo, PyBuffer_Release, PyObject_GetBuffer
from cpython.list cimport PyList_New, PyList_SET_ITEM
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.pycapsule cimport PyCapsule_GetPointer
from cpython.ref cimport Py_INCREF
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcmp, memcpy, memset

include "abi.pxi"

#: Parameters that a policy's function can have.
cdef enum:
    MOST_GIVEN = 64
    #: blocks of cells that are kept for the next positions
    SPARE_BLOCKS = 16
    #: changes of cells that are noted of a step: more are not worth while
    MOST_CHANGES = 250
    #: numbers of a policy's line before its ranks
    LINE = 8
    #: outcomes that are looked at while a chain is followed
    MOST_LOOKED_AT = 64
    #: as grognard.odds.attrition.probe has them
    HITS_SOME = -1
    HITS_ENOUGH = -2
    #: answers between two rolls: more is a procedure that goes round in circles
    MOST_ANSWERS = 100000

include "attrition.pxi"
include "positions.pxi"
include "engine_calls.pxi"
include "engine_policies.pxi"
include "engine.pxi"
include "ends.pxi"
include "outcomes.pxi"
include "grids.pxi"
include "replay.pxi"
