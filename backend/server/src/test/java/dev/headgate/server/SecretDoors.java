package dev.headgate.server;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The doors by which statements come to the domain "shop", and its client "app" logs in. Secrets go in at each: passwords, right and
 * wrong, and parameters. {@link CanaryTest} searches what the service tells and keeps, {@link HeapCanaryTest} its memory.
 */
final class SecretDoors {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final String SQL = "/api/v1/domains/shop/sql";

    private final Visitor visitor;

    SecretDoors(Visitor visitor) {
        this.visitor = visitor;
    }

    /** Who brings the secrets. */
    interface Visitor {
        /** A new secret, of this kind if there is one already. */
        String secret(String what);

        /** What a statement selects of its parameter {@code $1}. */
        String selected();

        String token();

        URI root();

        HttpClient http();

        /**
         * Sends a request.
         *
         * @param status what must be answered; 0 for a refusal of any kind
         */
        HttpResponse<String> send(String method, String path, @Nullable String body, int status, String... headers)
                throws Exception;
    }

    void enterAll(String password) throws Exception {
        neon(password);
        statements();
        transactions();
        keptAnswers();
        webSocket(password);
        console();
    }

    private void neon(String password) throws Exception {
        String parameter = visitor.secret("a parameter at /sql");
        String query = "{\"query\": \"select length($1)\", \"params\": [\"" + parameter + "\"]}";
        String right = "postgresql://app:" + password + "@h/shop";
        String wrong = "postgresql://app:" + visitor.secret("a wrong password at /sql") + "@h/shop";
        for (String body : new String[] {query, "{\"queries\": [" + query + "]}"}) {
            visitor.send("POST", "/sql", body, 200, "Neon-Connection-String", right);
        }
        visitor.send("POST", "/sql", query, 401, "Neon-Connection-String", wrong);
        visitor.send("POST", "/sql", query, 400, "Neon-Connection-String", wrong.replace("postgresql", "mysql"));
        visitor.send("POST", "/sql", query.replace("}", ""), 400, "Neon-Connection-String", right);
    }

    private void statements() throws Exception {
        for (int i = 0; i < 3; i++) {
            post(SQL, sql("a parameter of a statement"), 200);
        }
        post(SQL, sql("a parameter of a refused statement").replace("\"]", "\", 1]"), 0);
        String branch = sql("a parameter of a statement on several domains").replace("{", "{\"domain\": \"shop\", ");
        post("/api/v1/sql/scatter", "{\"branches\": [" + branch + ", " + branch + "]}", 200);
    }

    private void transactions() throws Exception {
        String path = SQL + "/transactions";
        String stays = id(post(path, "{\"idleSeconds\": 300}", 201));
        post(path + "/" + stays, sql("a parameter in a transaction that stays open"), 200);
        String ended = id(post(path, "{}", 201));
        post(path + "/" + ended, sql("a parameter in a transaction that has ended"), 200);
        post(path + "/" + ended + "/commit", null, 204);
    }

    /** They are files, which hold answers and no parameters. */
    private void keptAnswers() throws Exception {
        String later = post(SQL, sql("a parameter of an answer fetched later"), 202, "Prefer", "respond-async")
                .headers()
                .firstValue("Location")
                .orElseThrow();
        visitor.send("GET", later + "/result", null, 200, "Authorization", "Bearer " + visitor.token());
        visitor.send("DELETE", later, null, 204, "Authorization", "Bearer " + visitor.token());
        String key = visitor.secret("the key of a request that is repeated");
        String keyed = sql("a parameter of a request with a key");
        post(SQL, keyed, 200, "Idempotency-Key", key);
        post(SQL, keyed, 200, "Idempotency-Key", key);
        post(SQL, keyed.replace("[\"", "[1, \""), 422, "Idempotency-Key", key);
    }

    /** The wire protocol in frames, where the client sends its password itself. */
    private void webSocket(String password) throws Exception {
        String wrong = visitor.secret("a wrong password in a frame");
        for (String each : new String[] {wrong, password}) {
            Frames frames = new Frames();
            WebSocket socket = open("/v2", frames);
            say(socket, (char) 0, "\0\3\0\0user\0app\0database\0shop\0\0");
            await().atMost(Service.PATIENCE).until(() -> frames.has("R"));
            say(socket, 'p', each + "\0");
            await().atMost(Service.PATIENCE).until(() -> frames.closed || frames.has("Z\0\0\0\5I"));
            if (!frames.closed) {
                String parameter = visitor.secret("a parameter in a frame");
                say(socket, 'P', "\0select $1::text\0\0\0");
                say(socket, 'B', "\0\0\0\0\0\1\0\0\0" + (char) parameter.length() + parameter + "\0\0");
                say(socket, 'E', "\0\0\0\0\0");
                say(socket, 'S', "");
                await().atMost(Service.PATIENCE).until(() -> frames.has("C\0\0\0\15SELECT 1\0"));
                socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
            }
            await().atMost(Service.PATIENCE).until(() -> frames.closed);
        }
    }

    /** The wire port's console, whose password is the token. */
    private void console() throws Exception {
        String wrong = visitor.secret("a wrong password of the console");
        assertThatThrownBy(() -> wire("headgate", "disable", "admin", wrong).close())
                .isInstanceOf(SQLException.class);
        try (Connection admin = wire("headgate", "disable", "admin", visitor.token())) {
            admin.createStatement().execute("SHOW POOLS");
        }
    }

    Connection wire(String domain, String sslMode, String user, String password) throws Exception {
        Properties properties = new Properties();
        properties.put("user", user);
        properties.put("password", password);
        if (domain.equals("headgate")) {
            properties.put("preferQueryMode", "simple"); // the console has no other
        }
        String clients = visitor.send(
                        "GET", "/api/v1/domains/shop/clients", null, 200, "Authorization", "Bearer " + visitor.token())
                .body();
        int port = JSON.readTree(clients).at("/endpoint/port").asInt();
        return DriverManager.getConnection(
                "jdbc:postgresql://127.0.0.1:" + port + "/" + domain + "?sslmode=" + sslMode, properties);
    }

    private String sql(String what) {
        return "{\"sql\": \"select " + visitor.selected() + "\", \"params\": [\"" + visitor.secret(what) + "\"]}";
    }

    private static String id(HttpResponse<String> made) {
        return JSON.readTree(made.body()).get("id").asString();
    }

    private HttpResponse<String> post(String path, @Nullable String body, int status, String... headers)
            throws Exception {
        String[] all = Stream.concat(Stream.of(headers), Stream.of("Authorization", "Bearer " + visitor.token()))
                .toArray(String[]::new);
        return visitor.send("POST", path, body, status, all);
    }

    private static void say(WebSocket socket, char type, String body) throws IOException {
        ByteBuffer message = ByteBuffer.allocate(5 + body.length());
        if (type != 0) {
            message.put((byte) type);
        }
        message.putInt(4 + body.length()).put(body.getBytes(StandardCharsets.ISO_8859_1));
        socket.sendBinary(message.flip(), true).join();
    }

    WebSocket open(String path, Frames frames, String... header) {
        WebSocket.Builder builder = visitor.http().newWebSocketBuilder();
        if (header.length > 0) {
            builder.header(header[0], header[1]);
        }
        return builder.buildAsync(URI.create(visitor.root().toString().replace("http", "ws") + path), frames)
                .join();
    }

    /** What a WebSocket has received. */
    static final class Frames implements WebSocket.Listener {
        private final StringBuffer received = new StringBuffer();
        private volatile boolean closed;

        boolean has(String part) {
            return received.indexOf(part) >= 0;
        }

        boolean isClosed() {
            return closed;
        }

        @Override
        public CompletionStage<?> onText(WebSocket socket, CharSequence text, boolean last) {
            received.append(text);
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onBinary(WebSocket socket, ByteBuffer bytes, boolean last) {
            received.append(StandardCharsets.ISO_8859_1.decode(bytes));
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
            closed = true;
            return null;
        }

        @Override
        public void onError(WebSocket socket, Throwable error) {
            closed = true;
        }
    }
}
