/* The kernel that keeps the elements of each output of a tile side by side, for order statistics
 * (kernels/gpu/key_arguments.h). Part of kernels/gpu/reduce_kernels.h. */

TS_KERNEL_OF(TS_REDUCE_BLOCK)
void ts_keep(const struct TsKeep call, TS_GLOBAL unsigned char* memory) {
  const TS_U32 size =
      call.axis.type < TS_TYPE_F16 ? call.axis.type % 4 : call.axis.type - TS_TYPE_F16 + 1;
  const TS_U64 count = (TS_U64)call.axis.outputs * call.axis.terms;
  const TS_U64 threads = (TS_U64)TS_BLOCKS() * TS_REDUCE_BLOCK;
  const TS_U32 levels = call.axis.reduced_levels;
  const int terms_in_a_row = levels > 0 && call.axis.reduced[levels - 1].stride == 1;
  TS_GLOBAL unsigned char* const to = memory + call.to;
  for (TS_U64 at = (TS_U64)TS_BLOCK() * TS_REDUCE_BLOCK + TS_THREAD(); at < count; at += threads) {
    const TS_U32 output = (TS_U32)(terms_in_a_row ? at / call.axis.terms : at % call.axis.outputs);
    const TS_U32 term = (TS_U32)(terms_in_a_row ? at % call.axis.terms : at / call.axis.outputs);
    const TsSpot kept = ts_spot(call.axis.kept, call.axis.kept_levels, output);
    const TsSpot reduced = ts_spot(call.axis.reduced, levels, term);
    const TS_U64 place = (call.axis.first_output + kept.step) * call.elements_each +
                         call.axis.first_index + reduced.step;
    const TS_U64 bits = ts_load_bits(memory, size, (TS_U64)kept.offset + reduced.offset);
    if (size == 0) {
      to[place] = (unsigned char)bits;
    } else if (size == 1) {
      ((TS_GLOBAL unsigned short*)to)[place] = (unsigned short)bits;
    } else if (size == 2) {
      ((TS_GLOBAL TS_U32*)to)[place] = (TS_U32)bits;
    } else {
      ((TS_GLOBAL TS_U64*)to)[place] = bits;
    }
  }
}
