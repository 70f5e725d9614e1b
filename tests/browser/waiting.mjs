// Waiting for something to be so, and for no longer than it may take.
export const PATIENCE = 60000;

/** What `look` finds, as soon as it finds something. */
export async function until(what, look) {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
}
