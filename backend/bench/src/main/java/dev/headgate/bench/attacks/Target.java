package dev.headgate.bench.attacks;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;

/**
 * The service under attack. Any thread.
 *
 * @param url of the API, without a path
 * @param token of the administrator: the attackers are tenants who were let in
 * @param wirePort of its wire port, on loopback
 * @param domain that is attacked
 * @param bystander a domain under an orderly load
 * @param client of the attacked domain
 */
record Target(URI url, String token, int wirePort, String domain, String bystander, String client, String password) {

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /** Sends a request with the token and returns the status of the answer. */
    String answerTo(String method, String path, String contentType, HttpRequest.BodyPublisher body)
            throws IOException, InterruptedException {
        return send(token, method, path, contentType, body);
    }

    String get(String path) throws IOException, InterruptedException {
        return answerTo("GET", path, "application/json", HttpRequest.BodyPublishers.noBody());
    }

    String getWithToken(String other, String path) throws IOException, InterruptedException {
        return send(other, "GET", path, "application/json", HttpRequest.BodyPublishers.noBody());
    }

    private String send(String with, String method, String path, String contentType, HttpRequest.BodyPublisher body)
            throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(url.resolve(path))
                .timeout(PATIENCE)
                .header("Authorization", "Bearer " + with)
                .header("Content-Type", contentType)
                .method(method, body)
                .build();
        return String.valueOf(
                HTTP.send(request, HttpResponse.BodyHandlers.discarding()).statusCode());
    }

    HttpClient http() {
        return HTTP;
    }

    /** A client of the wire port that prepares each statement on the server. */
    Connection connect(String withPassword) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", client);
        properties.setProperty("password", withPassword);
        properties.setProperty("sslmode", "disable");
        properties.setProperty("prepareThreshold", "1");
        properties.setProperty("preparedStatementCacheQueries", "0");
        properties.setProperty("loginTimeout", "60");
        return DriverManager.getConnection("jdbc:postgresql://127.0.0.1:" + wirePort + "/" + domain, properties);
    }

    InetSocketAddress httpAddress() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), url.getPort());
    }

    InetSocketAddress wireAddress() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), wirePort);
    }
}
