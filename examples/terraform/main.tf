# The organization comes from TF_CLOUD_ORGANIZATION. The host name is a label: walk.sh says where its API is.
terraform {
  cloud {
    hostname = "gatehouse.example"
    workspaces {
      name = "network"
    }
  }
}
