/** The choices of a filter by what runs do. */
export const operations = [
  { value: '', label: 'Any' },
  { value: 'plan_and_apply', label: 'Plan and apply' },
  { value: 'plan_only', label: 'Plan only' },
  { value: 'save_plan', label: 'Saved plan' },
  { value: 'destroy', label: 'Destroy' },
  { value: 'refresh_only', label: 'Refresh only' },
];
