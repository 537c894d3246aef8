import Testing

@testable import TransferPolicy

@Suite struct HostGateTests {
    private let host = "example.org:443"

    @Test func unknownHostsAreOpen() {
        #expect(HostGate().state(of: host, now: .zero) == .open)
        #expect(HostGate().nextChange(of: host, now: .zero) == nil)
    }

    @Test func aHostIsClosedForTheTimeThatItAskedFor() {
        var gate = HostGate()
        #expect(gate.close(host, retryAfter: .seconds(20), now: .seconds(100)) == .seconds(120))
        #expect(gate.state(of: host, now: .seconds(119)) == .closed(until: .seconds(120)))
        #expect(gate.nextChange(of: host, now: .seconds(119)) == .seconds(120))
        #expect(gate.state(of: host, now: .seconds(120)) == .probe)
        #expect(gate.state(of: "example.com:443", now: .seconds(119)) == .open)
    }

    @Test func oneTransferProbesTheHost() {
        var gate = HostGate()
        gate.close(host, retryAfter: .seconds(20), now: .zero)
        gate.handleStart(host, now: .seconds(20))
        #expect(gate.state(of: host, now: .seconds(21)) == .probing(until: .seconds(140)))
        #expect(gate.state(of: host, now: .seconds(140)) == .probe)
    }

    @Test func aGoodReplyOpensTheHost() {
        var gate = HostGate()
        gate.close(host, retryAfter: nil, now: .zero)
        gate.open(host)
        #expect(gate.state(of: host, now: .zero) == .open && gate.closedHostCount == 0)
    }

    @Test func closuresWithoutATimeGetLonger() {
        var gate = HostGate()
        var now = Duration.zero
        var delays: [Duration] = []
        for _ in 0..<12 {
            let end = gate.close(host, retryAfter: nil, now: now)
            delays.append(end - now)
            now = end
            gate.handleStart(host, now: now)
        }
        #expect(delays.prefix(4) == [.seconds(5), .seconds(10), .seconds(20), .seconds(40)])
        #expect(delays.last == HostGate.longestDelay)
    }

    @Test func repliesToRequestsOfTheSameTimeCountOnce() {
        var gate = HostGate()
        for _ in 0..<20 { gate.close(host, retryAfter: nil, now: .zero) }
        #expect(gate.state(of: host, now: .zero) == .closed(until: HostGate.firstDelay))
    }

    @Test func aLaterReplyNeverShortensTheClosure() {
        var gate = HostGate()
        gate.close(host, retryAfter: .seconds(100), now: .zero)
        #expect(gate.close(host, retryAfter: .seconds(1), now: .seconds(1)) == .seconds(100))
    }

    @Test func aProbeWithoutAReplyPermitsAnother() {
        var gate = HostGate()
        gate.close(host, retryAfter: .seconds(1), now: .zero)
        gate.handleStart(host, now: .seconds(1))
        gate.handleFailure(host)
        #expect(gate.state(of: host, now: .seconds(2)) == .probe)
    }

    @Test func aStormOnAHostCausesOneProbeAPeriod() {
        var gate = HostGate()
        var probeCount = 0
        for second in 0..<30 {
            let now = Duration.seconds(second)
            for _ in 0..<20 where [.open, .probe].contains(gate.state(of: host, now: now)) {
                gate.handleStart(host, now: now)
                gate.close(host, retryAfter: .seconds(2), now: now)
                probeCount += 1
            }
        }
        #expect(probeCount == 15)
    }

    @Test func theNumberOfRememberedHostsIsBounded() {
        var gate = HostGate()
        for number in 0..<HostGate.hostLimit + 50 {
            gate.close("host\(number)", retryAfter: .seconds(number + 1), now: .zero)
        }
        #expect(gate.closedHostCount == HostGate.hostLimit)
        #expect(gate.state(of: "host0", now: .zero) == .open)
    }
}
