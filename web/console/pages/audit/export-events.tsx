import { queryText, send } from '../../api/client.ts';
import { useAddressValues, type Values } from '../../parts/address-values.ts';
import { useChange } from '../../parts/change.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { saveFile } from '../../parts/save-file.ts';
import type { auditFilters } from './audit-events.tsx';

interface Props {
  /** The list that the page shows, below `/api/v2`. */
  readonly path: string;
  readonly filters: (values: Values) => ReturnType<typeof auditFilters>;
  /** The name of the file, without its ending. */
  readonly name: string;
}

/** Saves what the filters of the page select, from the oldest event on. */
export function ExportEvents({ path, filters, name }: Props) {
  const [values] = useAddressValues();
  const file = `${name}.ndjson`;
  const save = useChange(
    async () => {
      const response = await send(`/api/v2${path}/export${queryText(filters(values))}`);
      // The browser moves a large blob to its disk; a response that breaks off rejects.
      saveFile(await response.blob(), file);
    },
    { done: `${file} was saved.` },
  );
  return (
    <Confirm trigger="Export" title="Export audit events?" confirm="Save file" onConfirm={() => save.run(undefined)}>
      <p>
        The file has all events that match the filters, oldest first, with one JSON object on each line. The browser
        collects it before it saves it: for a long trail, choose a range of time first.
      </p>
    </Confirm>
  );
}
