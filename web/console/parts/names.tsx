import { Fragment } from 'react';

/** Names in a sentence, in their order also where some run from right to left. */
export const Names = ({ of: names }: { readonly of: readonly string[] }) =>
  names.map((name, index) => (
    <Fragment key={name}>
      {index > 0 && ', '}
      <bdi>{name}</bdi>
    </Fragment>
  ));
