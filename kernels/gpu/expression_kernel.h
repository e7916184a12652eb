/* A kernel that evaluates any expression, step by step (kernels/gpu/expression.h). A thread has one
 * element. */

#define TS_CASE_OF_ONE(name) \
  case TS_ON_##name:         \
    return ts_on_##name(x, step->type);
#define TS_CASE_OF_TWO(name) \
  case TS_ON_##name:         \
    return ts_on_##name(x, y, step->type);
#define TS_CASE_OF_THREE(name) \
  case TS_ON_##name:           \
    return ts_on_##name(x, y, values[step->z], step->type);
#define TS_CASE_OF_FUNCTION_OF_ONE(name, Name) TS_CASE_OF_ONE(name)
#define TS_CASE_OF_FUNCTION_OF_TWO(name, Name) TS_CASE_OF_TWO(name)

TS_FN TS_U64 ts_take_step(const struct TsMap* call, TS_GLOBAL const struct TsStep* step,
                          TS_GLOBAL const unsigned char* memory, const TS_U64* values,
                          TS_U64 index) {
  const TS_U64 x = values[step->x];
  const TS_U64 y = values[step->y];
  switch (step->operation) {
    case TS_ON_load:
      return ts_on_load(call, memory, step->value, step->type, index);
    case TS_ON_cast:
      return ts_on_cast(x, step->type, step->to);
      TS_OPERATIONS(TS_CASE_OF_ONE, TS_CASE_OF_TWO, TS_CASE_OF_THREE)
      TS_FUNCTIONS(TS_CASE_OF_FUNCTION_OF_ONE, TS_CASE_OF_FUNCTION_OF_TWO)
    default:
      return step->value;
  }
}

TS_KERNEL_OF(TS_REDUCE_BLOCK)
void ts_map(const struct TsMap call, TS_GLOBAL const struct TsStep* steps,
            TS_GLOBAL unsigned char* memory) {
  const TS_U64 index = (TS_U64)TS_BLOCK() * TS_REDUCE_BLOCK + TS_THREAD();
  TS_U64 values[TS_MAP_REGISTERS];
  values[0] = 0; /* a step without arguments reads it */
  if (index < call.elements) {
    for (TS_U32 number = 0; number < call.steps; ++number) {
      TS_GLOBAL const struct TsStep* const step = steps + number;
      values[step->result] = ts_take_step(&call, step, memory, values, index);
    }
    for (TS_U32 k = 0; k < call.result_count; ++k) {
      ts_store_result(&call.results[k], memory, index, values[call.results[k].value]);
    }
  }
}
