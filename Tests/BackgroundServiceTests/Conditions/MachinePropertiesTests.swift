import DesktopBus
import Testing
import TransferPolicy

@testable import BackgroundService

@Suite struct MachinePropertiesTests {
    private func conditions(_ change: (inout MachineProperties) -> Void) -> MachineConditions {
        var properties = MachineProperties()
        change(&properties)
        return MachineConditions(properties)
    }

    @Test func withoutServicesEverythingIsPermitted() {
        let conditions = conditions { _ in }
        #expect(conditions == MachineConditions())
        #expect(conditions.connectivity == .full && conditions.power == .mains)
        #expect(!conditions.isMetered && !conditions.savesPower)
    }

    @Test(
        arguments: [(1, .offline), (2, .portal), (3, .limited), (4, .full)]
            as [(UInt32, MachineConditions.Connectivity)])
    func theConnectivityOfNetworkManagerCounts(number: UInt32, connectivity: MachineConditions.Connectivity) {
        for state in [20, 70] as [UInt32] {
            #expect(
                conditions { $0.network = ["Connectivity": .uint32(number), "State": .uint32(state)] }.connectivity
                    == connectivity)
        }
    }

    @Test(
        arguments: [
            (nil, .full), (0, .full), (10, .offline), (20, .offline), (40, .offline), (50, .offline), (60, .full),
            (70, .full),
        ] as [(UInt32?, MachineConditions.Connectivity)])
    func withoutChecksTheStateOfTheNetworkCounts(state: UInt32?, connectivity: MachineConditions.Connectivity) {
        var network: [String: BusValue] = ["Connectivity": .uint32(0)]
        if let state { network["State"] = .uint32(state) }
        #expect(conditions { $0.network = network }.connectivity == connectivity)
    }

    @Test(arguments: [(0, false), (1, true), (2, false), (3, true), (4, false)] as [(UInt32, Bool)])
    func aGuessedMeterCountsLikeASetOne(number: UInt32, isMetered: Bool) {
        #expect(conditions { $0.network = ["Metered": .uint32(number)] }.isMetered == isMetered)
    }

    @Test func aBatteryHasItsCharge() {
        let power = conditions {
            $0.power = ["OnBattery": .bool(true)]
            $0.battery = ["Percentage": .double(63.5), "WarningLevel": .uint32(2)]
        }.power
        #expect(power == .battery(percent: 63.5))
    }

    @Test func aBatteryOnMainsPowerDoesNotCount() {
        let power = conditions {
            $0.power = ["OnBattery": .bool(false)]
            $0.battery = ["Percentage": .double(5), "WarningLevel": .uint32(4)]
        }.power
        #expect(power == .mains)
    }

    @Test(
        arguments: [
            [:], ["WarningLevel": .uint32(3), "Percentage": .double(60)],
            ["WarningLevel": .uint32(5), "Percentage": .double(60)],
        ] as [[String: BusValue]])
    func aLowOrUnknownBatteryCountsAsEmpty(battery: [String: BusValue]) {
        let power = conditions { ($0.power, $0.battery) = (["OnBattery": .bool(true)], battery) }.power
        #expect(power == .battery(percent: 0))
    }

    @Test(arguments: [("power-saver", true), ("balanced", false), ("performance", false)])
    func onlyThePowerSaverSavesPower(profile: String, savesPower: Bool) {
        #expect(conditions { $0.profile = ["ActiveProfile": .string(profile)] }.savesPower == savesPower)
    }

    @Test func valuesOfWrongTypesAreIgnored() {
        let conditions = conditions {
            $0.network = ["Connectivity": .string("1"), "Metered": .bool(true), "State": .double(20)]
            $0.power = ["OnBattery": .uint32(1)]
            $0.profile = ["ActiveProfile": .bytes([1])]
        }
        #expect(conditions == MachineConditions())
    }
}
