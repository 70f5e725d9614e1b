//! Round robins by the Berger tables (C.05 of the FIDE Handbook).

/// The rounds of a round robin of this many players, each a list of pairs of places from 0, white first. With an odd number
/// one player rests in each round: nobody sits in the last place of the table for one player more.
pub fn berger_rounds(players: usize) -> Vec<Vec<(usize, usize)>> {
    let places = players.next_multiple_of(2);
    if places < 2 {
        return Vec::new();
    }
    (0..places - 1)
        .map(|round| {
            let mut pairs = berger_round(places, round);
            pairs.retain(|&(white, black)| white.max(black) < players);
            pairs
        })
        .collect()
}

/// One round of a table for an even number of places. All but the last place stand in a circle that turns by half of it from
/// round to round; the last place meets whoever comes to its front, and has white in every second round.
fn berger_round(places: usize, round: usize) -> Vec<(usize, usize)> {
    let circle = places - 1;
    let last = places - 1;
    let front = round * (places / 2) % circle;
    let first = if round.is_multiple_of(2) { (front, last) } else { (last, front) };
    let others = (1..places / 2).map(|step| ((front + step) % circle, (front + circle - step) % circle));
    std::iter::once(first).chain(others).collect()
}
