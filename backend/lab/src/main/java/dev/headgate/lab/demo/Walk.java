package dev.headgate.lab.demo;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** One user's way through the auction site, from the first page until the user leaves. Used by one thread. */
final class Walk implements Iterator<Page> {

    private final Transitions transitions;
    private final RandomGenerator random;

    /** The pages that lead to the coming one, the latest first: where the back button goes. */
    private final Deque<Page> way = new ArrayDeque<>();

    /** Null once the user has left. */
    private @Nullable Page coming = Page.FIRST;

    Walk(Transitions transitions, RandomGenerator random) {
        this.transitions = transitions;
        this.random = random;
    }

    @Override
    public boolean hasNext() {
        return coming != null;
    }

    @Override
    public Page next() {
        Page page = coming;
        if (page == null) {
            throw new NoSuchElementException("the user has left");
        }
        coming = after(page);
        return page;
    }

    private @Nullable Page after(Page page) {
        Transitions.Row row = transitions.from(page);
        double left = random.nextDouble();
        for (var link : row.links().entrySet()) {
            left -= link.getValue();
            if (left < 0) {
                way.push(page);
                return link.getKey();
            }
        }
        return left < row.back() ? way.pop() : null;
    }
}
