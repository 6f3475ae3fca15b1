package dev.headgate.cli;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Stands in for the service in {@link EntryTest}: has its ports, says which policy files it gets and that it is ready, and takes its time to stop. */
final class StandIn {

    private StandIn() {}

    @SuppressWarnings("SystemOut")
    public static void main(String[] arguments) throws Exception {
        Duration stopping = Duration.ofMillis(Long.parseLong(System.getenv("STAND_IN_STOPS_AFTER_MILLIS")));
        List<ServerSocket> ports = new ArrayList<>();
        boolean training = false;
        for (String argument : arguments) {
            if (argument.matches("--headgate\\.(wire\\.)?port=\\d+")) {
                int port = Integer.parseInt(argument.substring(argument.indexOf('=') + 1));
                training = port == 0;
                ports.add(new ServerSocket(port, 50, InetAddress.getLoopbackAddress()));
            }
        }
        if (!training) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                try {
                    Thread.sleep(stopping);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }));
        }
        for (String argument : arguments) {
            if (argument.startsWith("--headgate.files=")) {
                System.out.println("Policy files: " + argument.substring(argument.indexOf('=') + 1));
            }
        }
        System.out.println("Headgate is ready: on " + ports);
        new CountDownLatch(1).await();
    }
}
