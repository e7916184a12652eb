/* The kernel that generates arrays (kernels/gpu/generate.h). Part of
 * kernels/gpu/reduce_kernels.h. */

/* The bits of a generated element, in the lowest bits of the result. */
TS_FN TS_U64 ts_generated_bits(const struct TsMake* make, TS_U64 bits, double x) {
  if (make->what == TS_MAKE_UNIFORM) {
    if (!make->is_float) return bits >> (64 - 8 * make->element_bytes);
    if (make->element_bytes == 4) return TS_FLOAT_BITS(ts_uniform_f32(bits));
    return ts_to_bits(ts_uniform_f64(bits));
  }
  return make->element_bytes == 4 ? TS_FLOAT_BITS((float)x) : ts_to_bits(x);
}

TS_FN void ts_store_generated(const struct TsMake* make, TS_GLOBAL unsigned char* out, TS_U64 index,
                              TS_U64 element) {
  TS_U64 place;
  if (index < make->first || index - make->first >= make->count) return;
  place = index - make->first + (TS_U64)make->to_vector * TS_VECTOR_BYTES / make->element_bytes;
  if (make->element_bytes == 8) {
    ((TS_GLOBAL TS_U64*)out)[place] = element;
  } else if (make->element_bytes == 4) {
    ((TS_GLOBAL TS_U32*)out)[place] = (TS_U32)element;
  } else if (make->element_bytes == 2) {
    ((TS_GLOBAL unsigned short*)out)[place] = (unsigned short)element;
  } else {
    out[place] = (unsigned char)element;
  }
}

/* Each step generates two elements, because random numbers come in pairs. */
TS_KERNEL_OF(TS_REDUCE_BLOCK)
void ts_make(const struct TsMake make, TS_GLOBAL unsigned char* out) {
  const TS_U64 threads = (TS_U64)TS_BLOCKS() * TS_REDUCE_BLOCK;
  const TS_U64 end = (make.first + make.count + 1) / 2;
  TS_U64 number = make.first / 2 + (TS_U64)TS_BLOCK() * TS_REDUCE_BLOCK + TS_THREAD();
  for (; number < end; number += threads) {
    TsNormalPair pair;
    TsRandomBlock block;
    pair.value[0] = pair.value[1] = 0.0;
    block.bits[0] = block.bits[1] = 0;
    if (make.what == TS_MAKE_UNIFORM) {
      block = ts_random_block(number, TS_UNIFORM_STREAM, make.seed);
    } else if (make.what == TS_MAKE_NORMAL) {
      pair = ts_normal_pair(number, make.seed);
    } else {
      pair.value[0] = ts_spaced(2 * number, make.all, make.start, make.stop, make.step);
      pair.value[1] = ts_spaced(2 * number + 1, make.all, make.start, make.stop, make.step);
    }
    ts_store_generated(&make, out, 2 * number,
                       ts_generated_bits(&make, block.bits[0], pair.value[0]));
    ts_store_generated(&make, out, 2 * number + 1,
                       ts_generated_bits(&make, block.bits[1], pair.value[1]));
  }
}
