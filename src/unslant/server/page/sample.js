// A sample text with slanted wording of several kinds.

export const SAMPLE = `The harbour hall

The legendary hall on the quay opened in 1911. Its chairman, Ruth Adler, admitted that the roof leaks, and some say repairs were put off for years. Of course, the fish market upstairs was the heart of the town.

Last spring the council approved a plan at last. Conservationists peddle fears of glass towers; developers shamelessly promise flats for all. Both sides claim that the other refuses to talk, though they met four times in May.

A spokesman said the work would take two years. Obviously, the traders will need another place, and the elderly will miss the benches. The so-called compromise, a smaller market with twelve flats above it, goes to a vote in June.
`;
