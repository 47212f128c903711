/** A counter of loaded translations. Texts that are shown in English until their translation arrives depend on it. */
class Arrivals {
  count = $state(0);
}

export const arrivals = new Arrivals();
