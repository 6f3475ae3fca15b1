package dev.headgate.bench.attacks;

import java.net.URI;
import java.net.http.WebSocket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A client of the stream that asks for everything. */
final class Streams implements WebSocket.Listener {

    private static final String EVERYTHING =
            "{\"type\": \"subscribe\", \"domains\": [\"*\"], \"rateHz\": 4, \"connections\": [\"%s\"]}";
    private static final int MINUTES = 2;

    private final boolean reads;
    private final CompletableFuture<String> closed = new CompletableFuture<>();

    private Streams(boolean reads) {
        this.reads = reads;
    }

    /** Subscribes and stays for two minutes, or until the service ends it. Counts the subscription when it is sent. */
    static String read(Target target, Outcomes outcomes) throws Exception {
        return stay(target, true, outcomes);
    }

    /** The same, and reads nothing that comes. */
    static String neglect(Target target, Outcomes outcomes) throws Exception {
        return stay(target, false, outcomes);
    }

    private static String stay(Target target, boolean reads, Outcomes outcomes) throws Exception {
        Streams listener = new Streams(reads);
        URI address = URI.create(target.url().toString().replaceFirst("^http", "ws") + "/api/v1/stream");
        WebSocket socket;
        try {
            socket = target.http()
                    .newWebSocketBuilder()
                    .header("Authorization", "Bearer " + target.token())
                    .buildAsync(address, listener)
                    .join();
        } catch (CompletionException refused) {
            Thread.sleep(1_000);
            return "refused";
        }
        try {
            var _ = socket.sendText(EVERYTHING.formatted(target.bystander()), true)
                    .join();
            outcomes.count("subscribed");
            return listener.closed.get(MINUTES, TimeUnit.MINUTES);
        } catch (TimeoutException stayed) {
            return "stayed";
        } finally {
            socket.abort();
        }
    }

    @Override
    public void onOpen(WebSocket socket) {
        if (reads) {
            socket.request(1);
        }
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
        socket.request(1);
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
        closed.complete("closed with " + status);
        return null;
    }

    @Override
    public void onError(WebSocket socket, Throwable error) {
        closed.complete("broken off");
    }
}
