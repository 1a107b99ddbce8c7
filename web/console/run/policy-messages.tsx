import { Table } from '../parts/table.tsx';
import { messageOf } from './policy-message.ts';

/** Values that are shown of a message, messages of a policy, and characters of a text. */
const most = { values: 50, messages: 50, text: 2_000 };

const cut = (text: string): string => (text.length > most.text ? `${text.slice(0, most.text)}…` : text);

interface MessagesProps {
  readonly policy: string;
  readonly output: readonly unknown[] | null;
}

/** The messages of a policy: texts as such, objects as small tables. */
export const Messages = ({ policy, output }: MessagesProps) =>
  output === null || output.length === 0 ? null : (
    <ul className="messages" aria-label={`Messages of ${policy}`}>
      {output.slice(0, most.messages).map((message, index) => (
        // Two messages may be the same, and their order stays.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <li key={index}>
          <OneMessage caption={`Values of message ${index + 1} of ${policy}`} message={message} />
        </li>
      ))}
      {output.length > most.messages && <li>{output.length - most.messages} more messages</li>}
    </ul>
  );

function OneMessage({ caption, message }: { readonly caption: string; readonly message: unknown }) {
  const { text, values } = messageOf(message);
  return (
    <>
      {text !== '' && <span className="lines">{cut(text)}</span>}
      {values.length > 0 && (
        <Table
          caption={caption}
          rows={values.slice(0, most.values).map((entry, index) => ({ entry, index }))}
          keyOf={({ index }) => String(index)}
          empty={null}
          columns={[
            { head: 'Name', cell: ({ entry: [name] }) => name },
            { head: 'Value', cell: ({ entry: [, value] }) => <span className="lines">{cut(value)}</span> },
          ]}
        />
      )}
      {values.length > most.values && <p className="quiet">{values.length - most.values} more values</p>}
    </>
  );
}
