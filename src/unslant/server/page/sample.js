// A text to try the page with; it leans this way and that, as drafts do.

export const SAMPLE = `The old harbour hall

The legendary hall on the quay opened in 1911. Its chairman, Ruth Adler, admitted that the roof leaks, and critics claim that repairs were put off for years. Everyone knows that the fish market upstairs was the heart of the town.

Last spring the council finally approved a plan. Radical conservationists want every beam kept; greedy developers want flats. Both sides say that the other refuses to talk, though they met four times in May.

A spokesman said the work would take two years. Obviously, the traders who rent stalls there will suffer, and the elderly will lose a place to sit.
`;
