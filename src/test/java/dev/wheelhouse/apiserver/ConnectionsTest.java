package dev.wheelhouse.apiserver;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

class ConnectionsTest {
    private final ManualClock clock = new ManualClock();
    private final List<String> ended = new ArrayList<>();
    private final Connections connections = new Connections(160, 20, 40, clock, new Tally(clock));

    private Connections.Peer open(String name) {
        clock.advance(Duration.ofMillis(1));
        connections.opened(name, () -> ended.add(name));
        return connections.peer(name);
    }

    private void closeEnded() {
        ended.forEach(connections::closed);
    }

    @Test
    void ofStrangersTheNewestStayAndKnownClientsAreLeftAlone() {
        open("known").clientAuthenticated();
        for (int i = 0; i < 21; i++) {
            open("stranger-" + i);
        }
        assertThat(ended).containsExactly("stranger-0", "stranger-1");
        closeEnded();
        ended.clear();
        for (int i = 21; i < 1000; i++) {
            open("stranger-" + i);
            closeEnded();
        }
        assertThat(ended).doesNotContain("known", "stranger-999").contains("stranger-978");
        assertThat(connections.count()).isLessThanOrEqualTo(21);
    }

    @Test
    void whenThereIsRoomForNoMoreTheLongestIdleMakeRoomAndWhatIsServedStays() {
        for (int i = 0; i < 150; i++) {
            Connections.Peer peer = open("idle-" + i);
            peer.clientAuthenticated();
            peer.requestBegins();
            peer.requestReceived();
            if (i >= 10) {
                peer.becomeIdle();
            }
        }
        assertThat(ended).isEmpty();
        open("new");
        assertThat(ended).first().isEqualTo("idle-10");
        assertThat(ended).hasSizeLessThan(15).doesNotContain("new");
    }

    @Test
    void whenTooManySendTheirRequestsSlowlyTheSlowestAreEnded() {
        for (int i = 0; i < 41; i++) {
            Connections.Peer peer = open("c" + i);
            peer.clientAuthenticated();
            peer.requestBegins();
            if (i == 0) {
                peer.requestReceived();
            }
        }
        assertThat(ended).startsWith("c1").doesNotContain("c0", "c40");
        assertThat(ended.size()).isBetween(1, 5);
    }

    @Test
    void aConnectionThatEndsIsNotCountedAnyMore() {
        for (int i = 0; i < 10_000; i++) {
            Connections.Peer peer = open("c" + i);
            peer.requestBegins();
            if (i % 2 == 0) {
                peer.clientAuthenticated();
            }
            connections.closed("c" + i);
            peer.becomeIdle();
        }
        assertThat(connections.count()).isZero();
        assertThat(ended).isEmpty();
    }

    @Test
    void whoDoesNotReadAnAnswerMakesRoomAsWhoDoesNotSendARequest() {
        for (int i = 0; i < 20; i++) {
            Connections.Peer peer = open("stranger-" + i);
            peer.requestBegins();
            peer.requestReceived();
            peer.answerBegins();
        }
        Connections.Peer honest = open("honest");
        assertThat(ended).contains("stranger-0").doesNotContain("honest");
        closeEnded();
        honest.clientAuthenticated();
        for (int i = 0; i < 40; i++) {
            Connections.Peer peer = open("known-" + i);
            peer.clientAuthenticated();
            peer.requestBegins();
            peer.requestReceived();
            peer.answerBegins();
        }
        honest.requestBegins();
        assertThat(ended).contains("stranger-10").doesNotContain("honest");
    }

    /** The management port does not tell when its requests begin and end, only whether a head is incomplete. */
    @Test
    void theTimeOfAHeadBeginsWithItHoweverOldTheConnectionIs() {
        Duration limit = Duration.ofSeconds(20);
        Connections.Peer peer = open("console");
        clock.advance(Duration.ofMinutes(1));
        peer.inHead(true);
        assertThat(peer.isOverdue(limit)).as("a head that has just begun on an old connection").isFalse();
        clock.advance(Duration.ofSeconds(15));
        peer.inHead(true);
        assertThat(peer.isOverdue(limit)).isFalse();
        clock.advance(Duration.ofSeconds(6));
        peer.inHead(true);
        assertThat(peer.isOverdue(limit)).as("a head that has not ended in 21 s").isTrue();
        peer.inHead(false);
        peer.inHead(true);
        assertThat(peer.isOverdue(limit)).as("the next head").isFalse();
    }
}
