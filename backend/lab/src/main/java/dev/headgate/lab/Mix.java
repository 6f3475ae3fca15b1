package dev.headgate.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** A mix of transactions with weights. Immutable. */
public final class Mix {

    /**
     * One kind of transaction.
     *
     * @param holder named as the holder of its leases ("teller")
     * @param weight its share is this over the sum of all
     */
    public record Entry(String holder, int weight, Transaction transaction) {}

    private final List<Entry> entries;
    private final int total;

    private Mix(List<Entry> entries) {
        this.entries = List.copyOf(entries);
        this.total = entries.stream().mapToInt(Entry::weight).sum();
    }

    public static Mix of(String holder, Transaction transaction) {
        return new Mix(List.of(new Entry(holder, 1, transaction)));
    }

    public static Builder builder() {
        return new Builder();
    }

    public List<Entry> entries() {
        return entries;
    }

    public Entry draw(RandomGenerator random) {
        int left = random.nextInt(total);
        for (Entry entry : entries) {
            left -= entry.weight();
            if (left < 0) {
                return entry;
            }
        }
        throw new IllegalStateException("weights sum to " + total);
    }

    /** Collects entries. */
    public static final class Builder {

        private final List<Entry> entries = new ArrayList<>();

        private Builder() {}

        public Builder add(String holder, int weight, Transaction transaction) {
            if (weight <= 0) {
                throw new IllegalArgumentException("weight of " + holder + " must be positive, was " + weight);
            }
            entries.add(new Entry(holder, weight, transaction));
            return this;
        }

        public Mix build() {
            return new Mix(entries);
        }
    }
}
