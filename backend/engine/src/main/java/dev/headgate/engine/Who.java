package dev.headgate.engine;

/**
 * Who holds a lease, waits for one, or was turned away.
 *
 * @param holder the label of its leases
 * @param user empty for code in this process
 * @param application its application_name; may be empty
 * @param address where it connects from, with its port; may be empty
 */
public record Who(Requester.Kind kind, String holder, String user, String application, String address) {

    static Who of(LeaseRequest request) {
        Requester by = request.by();
        return by == null
                ? new Who(Requester.Kind.JDBC, request.holder(), "", "", "")
                : new Who(by.kind(), request.holder(), by.user(), by.application(), by.address());
    }
}
