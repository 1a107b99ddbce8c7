import { z } from 'zod';

/** A schema as JSON Schema 2020-12 writes it. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

const conversion = (io: 'input' | 'output'): Parameters<typeof z.toJSONSchema>[1] => ({
  io,
  unrepresentable: 'any',
  override: ({ zodSchema, jsonSchema }) => {
    const { def } = zodSchema._zod;
    if (io === 'input' && def.type === 'object' && jsonSchema.required !== undefined) {
      const shape = def.shape as Readonly<Record<string, z.ZodType>>;
      // Whatever takes its default from nothing may be left out.
      const needed = jsonSchema.required.filter((name) => shape[name]?.safeParse(undefined).success !== true);
      if (needed.length > 0) jsonSchema.required = needed;
      else delete jsonSchema.required;
    }
    // Those of whole numbers as such.
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    // Zod's own word for what the pattern says.
    if (jsonSchema.format === 'starts_with') delete jsonSchema.format;
    if ('example' in jsonSchema) {
      jsonSchema.examples = [jsonSchema.example];
      delete jsonSchema.example;
    }
  },
});

/** Named schemas are collected, and referred to from everywhere else. */
export class SchemaCollection {
  readonly named: Record<string, JsonSchema> = {};
  private readonly added = { input: new Map<z.ZodType, JsonSchema>(), output: new Map<z.ZodType, JsonSchema>() };

  /** Throws when two schemas that differ have one name. */
  add(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const known = this.added[io].get(schema) ?? this.converted(schema, io);
    this.added[io].set(schema, known);
    return known;
  }

  private converted(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const text = JSON.stringify(z.toJSONSchema(schema, conversion(io)));
    const {
      $schema: _,
      $defs = {},
      ...json
    } = JSON.parse(text.replaceAll('"#/$defs/', '"#/components/schemas/')) as JsonSchema;
    for (const [name, named] of Object.entries($defs)) {
      const known = this.named[name];
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(named)) {
        throw new Error(`two schemas have the name ${name}`);
      }
      this.named[name] = named;
    }
    return json;
  }

  /** The schema itself where it is only a reference to a named one. */
  resolve(schema: JsonSchema): JsonSchema {
    const name = schema.$ref?.split('/').at(-1);
    return name === undefined ? schema : (this.named[name] ?? schema);
  }
}
