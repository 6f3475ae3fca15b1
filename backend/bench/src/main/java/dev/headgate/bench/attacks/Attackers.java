package dev.headgate.bench.attacks;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Attacks a service until its standard input ends, then prints what came of each kind of attack.
 *
 * <p>Arguments: {@code all}, {@code watchers}, {@code long}, or the names of attacks, separated by commas; the number of the first slow
 * connection, and how many there are; the service's address; its wire port; the attacked domain; the bystander. The environment has
 * {@code HEADGATE_TOKEN}, {@code PGUSER} and {@code PGPASSWORD}.
 */
public final class Attackers {

    private Attackers() {}

    public static void main(String[] args) throws Exception {
        Target target = new Target(
                URI.create(args[3]),
                System.getenv("HEADGATE_TOKEN"),
                Integer.parseInt(args[4]),
                args[5],
                args[6],
                System.getenv("PGUSER"),
                System.getenv("PGPASSWORD"));
        List<Attack> attacks = named(args[0]);
        Map<String, Outcomes> outcomes = new LinkedHashMap<>();
        List<Thread> callers = new ArrayList<>();
        for (Attack attack : attacks) {
            Outcomes each = new Outcomes();
            outcomes.put(attack.name(), each);
            for (int i = 0; i < attack.callers(); i++) {
                long delay = attack.pauseMillis() * i / attack.callers();
                callers.add(Thread.startVirtualThread(() -> repeat(attack, target, each, delay)));
            }
        }
        int slow = Integer.parseInt(args[2]);
        Outcomes ofSlow = new Outcomes();
        SlowConnections connections = new SlowConnections(target, Integer.parseInt(args[1]), slow, ofSlow);
        Thread slowly = Thread.startVirtualThread(connections);
        waitForTheEnd();
        connections.end();
        slowly.join();
        callers.forEach(Thread::interrupt);
        if (slow > 0) {
            outcomes.put(slow + " slow connections", ofSlow);
        }
        outcomes.forEach((name, counts) -> System.out.println("    " + name + ": " + counts));
        System.exit(0);
    }

    private static List<Attack> named(String names) {
        return switch (names) {
            case "all" -> Attack.all();
            case "watchers" -> Attack.watchers();
            case "long" -> Attack.longRequests();
            default ->
                Attack.all().stream()
                        .filter(attack -> List.of(names.split(",", -1)).contains(attack.name()))
                        .toList();
        };
    }

    private static void waitForTheEnd() throws IOException {
        System.out.println("attacking");
        while (System.in.read() >= 0) {
            // what is sent does not matter
        }
    }

    private static void repeat(Attack attack, Target target, Outcomes outcomes, long delayMillis) {
        try {
            Thread.sleep(delayMillis);
            while (true) {
                try {
                    outcomes.count(attack.once().send(target, outcomes));
                } catch (InterruptedException ended) {
                    return;
                } catch (Exception e) {
                    outcomes.count(Attack.outcome(e));
                }
                Thread.sleep(Math.max(1, attack.pauseMillis()));
            }
        } catch (InterruptedException ended) {
            // the attack is over
        }
    }
}
