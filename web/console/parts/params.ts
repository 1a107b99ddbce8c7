/** Parameters of the address, decoded. */
export type Params<Names extends string> = { readonly params: { readonly [Name in Names]: string } };
