// Kernels with mistakes, which the runtime has to report. They are compiled as real ones are.
#pragma once

#include <cstddef>

namespace cuda_runtime {

/// from[index] of the first thread of each block goes to to[block].
void copy_element(const unsigned* from, std::size_t index, unsigned* to);
/// Every block writes to[0].
void write_same_element(unsigned* to);
/// Every block adds to to[0], as an atomic.
void count_blocks(unsigned* to);
/// Every block adds to to[0], and reads it without an atomic.
void count_and_read(unsigned* to);
/// Each thread writes a word of shared memory and takes that of the next thread.
void pass_on(unsigned* to, bool with_barrier);
/// Takes shared memory that this block did not write.
void read_shared(unsigned* to);
/// Only the first thread waits.
void wait_alone();
void load_pair(const unsigned* from, unsigned* to);

}  // namespace cuda_runtime
