import Testing
import WireFormat

@testable import BackgroundProtocol

@Suite struct SessionConfigurationTests {
    @Test func defaultsAreThoseOfAppleSessions() {
        let configuration = SessionConfiguration()
        #expect(!configuration.isDiscretionary && configuration.sendsLaunchEvents)
        #expect(configuration.requestTimeout == 60 && configuration.resourceTimeout == 604_800)
    }

    @Test func aStoredConfigurationRoundTrips() throws {
        var configuration = SessionConfiguration()
        (configuration.isDiscretionary, configuration.sendsLaunchEvents) = (true, false)
        (configuration.deliversEvents, configuration.allowsExpensiveNetworkAccess) = (false, false)
        configuration.allowsInsecureHTTP = true
        (configuration.requestTimeout, configuration.resourceTimeout) = (1, ClientLimits.timeLimit)
        configuration.connectionsPerHost = 1
        #expect(try SessionConfiguration(decoding: configuration.encoded) == configuration)
    }

    @Test(arguments: [0, -1, ClientLimits.timeLimit + 1, .min, .max])
    func timeLimitsOutOfRangeAreRejected(_ seconds: Int64) {
        var configuration = SessionConfiguration()
        configuration.resourceTimeout = seconds
        #expect(throws: MalformedMessage.self) { try SessionConfiguration(decoding: configuration.encoded) }
        configuration = SessionConfiguration()
        configuration.requestTimeout = seconds
        #expect(throws: MalformedMessage.self) { try SessionConfiguration(decoding: configuration.encoded) }
    }

    @Test func aSessionWithoutConnectionsIsRejected() {
        var configuration = SessionConfiguration()
        configuration.connectionsPerHost = 0
        #expect(throws: MalformedMessage.self) { try SessionConfiguration(decoding: configuration.encoded) }
    }

    @Test func aDamagedStoredConfigurationIsRejected() {
        #expect(throws: MalformedMessage.self) { try SessionConfiguration(decoding: [1, 2]) }
    }
}
