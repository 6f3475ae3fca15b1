package dev.headgate.lab.demo;

import dev.headgate.lab.Client;

/**
 * Who looks at the auction site, and at what. At first all of it is drawn at random; then each page that leads somewhere chooses where,
 * and the pages after it keep to that. Used by one thread.
 */
final class Visitor {

    private int user;
    private int region;
    private int category;
    private int item;
    private int other;

    Visitor(Client client) {
        user = client.oneOf(Auction.USERS);
        chooseRegion(client);
        chooseCategory(client);
        chooseItem(client);
        other = client.popularOf(Auction.USERS);
    }

    /** The visitor's own number. */
    int user() {
        return user;
    }

    int region() {
        return region;
    }

    int category() {
        return category;
    }

    int item() {
        return item;
    }

    /** Another user: the seller of the item, say. */
    int other() {
        return other;
    }

    void registeredAs(int number) {
        user = number;
    }

    void chooseRegion(Client client) {
        region = client.oneOf(Auction.REGIONS);
    }

    void chooseCategory(Client client) {
        category = client.oneOf(Auction.CATEGORIES);
    }

    void chooseItem(Client client) {
        item = client.popularOf(Auction.ITEMS);
    }

    void meet(int someone) {
        other = someone;
    }
}
