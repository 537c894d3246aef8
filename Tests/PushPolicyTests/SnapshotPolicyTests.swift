import Testing

@testable import PushPolicy

@Suite struct SnapshotPolicyTests {
    private let expiry = SnapshotPolicy.longestAge

    @Test func aPictureIsTakenAfterLeavingTheForegroundAndAfterEachCompletion() {
        var policy = SnapshotPolicy()
        #expect(policy.handle(.enteredBackground, now: .seconds(0)) == [.request])
        #expect(policy.handle(.completedWork, now: .seconds(10)) == [.request])
    }

    @Test func onePictureIsTakenInTenSeconds() {
        var policy = SnapshotPolicy()
        var requests: [Int] = []
        var timer: Duration?
        for second in 0..<60 {
            let now = Duration.seconds(second)
            var actions = policy.handle(.completedWork, now: now)
            if let due = timer, now >= due { actions += policy.handle(.timer, now: now) }
            for action in actions {
                if case .setTimer(let time) = action { timer = time }
                if action == .request { requests.append(second) }
            }
        }
        #expect(requests == [0, 10, 20, 30, 40, 50])
    }

    @Test func theLastOfManyCompletionsIsNotLost() {
        var policy = SnapshotPolicy()
        _ = policy.handle(.completedWork, now: .seconds(0))
        #expect(policy.handle(.completedWork, now: .seconds(4)) == [.setTimer(.seconds(10))])
        #expect(policy.handle(.completedWork, now: .seconds(5)) == [])
        #expect(policy.handle(.timer, now: .seconds(10)) == [.request])
        #expect(policy.handle(.timer, now: .seconds(20)) == [])
    }

    @Test func anUnchangedPictureIsNotWritten() {
        var policy = SnapshotPolicy()
        #expect(policy.handle(.drew(digest: 1), now: .seconds(1)) == [.write, .setTimer(.seconds(1) + expiry)])
        #expect(policy.handle(.drew(digest: 1), now: .seconds(20)) == [])
        #expect(policy.handle(.drew(digest: 2), now: .seconds(40)) == [.write, .setTimer(.seconds(40) + expiry)])
    }

    @Test func thePictureOfAPrivateProgramIsDeletedAtOnce() {
        var policy = writtenPolicy()
        #expect(policy.handle(.privacyChanged(isPrivate: true), now: .seconds(2)) == [.delete])
        #expect(policy.showsPlaceholder(isScreenLocked: false))
        #expect(policy.handle(.completedWork, now: .seconds(20)) == [])
        // A picture that was drawn before the change arrives late.
        #expect(policy.handle(.drew(digest: 9), now: .seconds(21)) == [])
        #expect(policy.handle(.privacyChanged(isPrivate: false), now: .seconds(30)) == [])
        #expect(policy.handle(.enteredBackground, now: .seconds(31)) == [.request])
        #expect(policy.handle(.drew(digest: 1), now: .seconds(32)).first == .write)
    }

    @Test func aRequestThatWaitsIsDroppedWhenTheProgramBecomesPrivate() {
        var policy = SnapshotPolicy()
        _ = policy.handle(.completedWork, now: .seconds(0))
        _ = policy.handle(.completedWork, now: .seconds(1))
        _ = policy.handle(.privacyChanged(isPrivate: true), now: .seconds(2))
        #expect(policy.handle(.timer, now: .seconds(10)) == [])
    }

    @Test func aLockedScreenShowsPlaceholders() {
        let policy = writtenPolicy()
        #expect(!policy.showsPlaceholder(isScreenLocked: false) && policy.showsPlaceholder(isScreenLocked: true))
        #expect(SnapshotPolicy().showsPlaceholder(isScreenLocked: false))
    }

    @Test func aPictureIsIgnoredAtOneLaunchIfTheProgramAsksForIt() {
        var policy = writtenPolicy()
        #expect(policy.handle(.launched, now: .seconds(2)) == [])
        #expect(policy.handle(.ignoreOnNextLaunch, now: .seconds(3)) == [])
        #expect(policy.handle(.launched, now: .seconds(4)) == [.delete])
        #expect(policy.handle(.drew(digest: 1), now: .seconds(5)).first == .write)
        #expect(policy.handle(.launched, now: .seconds(6)) == [])
    }

    @Test func thePictureIsRemovedWithTheProgramAndAfterThirtyDays() {
        var policy = writtenPolicy()
        #expect(policy.handle(.timer, now: .seconds(1) + expiry - .seconds(1)) == [])
        var removed = policy
        #expect(removed.handle(.removed, now: .seconds(9)) == [.delete])
        #expect(removed.handle(.removed, now: .seconds(9)) == [])
        #expect(policy.handle(.timer, now: .seconds(1) + expiry) == [.delete])
    }

    private func writtenPolicy() -> SnapshotPolicy {
        var policy = SnapshotPolicy()
        _ = policy.handle(.drew(digest: 1), now: .seconds(1))
        return policy
    }
}
